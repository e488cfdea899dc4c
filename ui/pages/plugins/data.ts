// Shapes of the answers that the pages of this area read.
import type { Answer } from '../../api/client.ts'

export type PluginDetail = Answer<'GET /api/plugins/{id}'>['plugin']
