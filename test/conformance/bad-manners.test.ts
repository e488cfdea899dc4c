// Providers with one bad habit each, held against the conformance kit.
import { badManners } from './bad/manners.ts'
import { failing } from './bad/fails.ts'

failing(badManners)
