// slow: every check of the kit
// Providers with one bad habit each, held against the conformance kit.
import { badWriters } from './bad/writes.ts'
import { failing } from './bad/fails.ts'

failing(badWriters)
