// slow: every check of the kit
// Providers that lose the result of a sign-in, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badSignIns } from './bad/sign-in.ts'

failing(badSignIns)
