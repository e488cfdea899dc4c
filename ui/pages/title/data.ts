// Shapes of the answers that the pages of this area read.
import type { Answer } from '../../api/client.ts'

export type TitleData = Answer<'GET /api/library/{key}'>
export type TitlePages = Answer<'GET /api/library/{key}/pages'>['pages']
