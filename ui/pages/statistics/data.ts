// Shapes of the answers that the pages of this area read.
import type { Answer } from '../../api/client.ts'

export type Statistics = Answer<'GET /api/statistics'>
