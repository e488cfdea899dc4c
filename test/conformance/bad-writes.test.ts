// slow: every check of the kit
// Providers with one fault each, checked by the conformance kit.
import { badWriters } from './bad/writes.ts'
import { failing } from './bad/fails.ts'

failing(badWriters)
