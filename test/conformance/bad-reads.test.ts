// slow: every check of the kit
// Providers with one fault each, checked by the conformance kit.
import { badReaders } from './bad/reads.ts'
import { failing } from './bad/fails.ts'

failing(badReaders)
