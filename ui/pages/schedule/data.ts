// Shapes of the answers that the pages of this area read.
import type { Answer } from '../../api/client.ts'

export type Config = Answer<'GET /api/scheduling'>

export type Pairs = Answer<'GET /api/pairs'>
