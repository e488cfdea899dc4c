// What the pages of this area get of the service.
import type { Answer } from '../../api/client.ts'

export type Statistics = Answer<'GET /api/statistics'>
