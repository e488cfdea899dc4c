// slow: every check of the kit
// Providers with one bad habit each, held against the conformance kit.
import { badReaders } from './bad/reads.ts'
import { failing } from './bad/fails.ts'

failing(badReaders)
