// What the pages of this area get of the service.
import type { Answer } from '../../api/client.ts'

export type Config = Answer<'GET /api/scheduling'>

export type Pairs = Answer<'GET /api/pairs'>
