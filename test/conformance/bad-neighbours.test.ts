// slow: every check of the kit
// Providers that leave things lying about, held against the conformance kit.
import { failing } from './bad/fails.ts'
import { badNeighbours } from './bad/manners.ts'

failing(badNeighbours)
