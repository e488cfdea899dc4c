// Providers with one fault each, checked by the conformance kit.
import { badManners } from './bad/manners.ts'
import { failing } from './bad/fails.ts'

failing(badManners)
