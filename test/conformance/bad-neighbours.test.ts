// slow: every check of the kit
// Providers that leave resources behind, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badNeighbours } from './bad/manners.ts'

failing(badNeighbours)
