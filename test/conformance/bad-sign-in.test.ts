// slow: every check of the kit
// Providers that lose what a sign-in gave, held against the conformance kit.
import { failing } from './bad/fails.ts'
import { badSignIns } from './bad/sign-in.ts'

failing(badSignIns)
