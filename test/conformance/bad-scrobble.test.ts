// slow: every check of the kit
// Providers that record plays incorrectly, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badRecorders } from './bad/scrobble.ts'

failing(badRecorders)
