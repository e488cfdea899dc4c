// slow: every check of the kit
// Tautulli, checked by the conformance kit.
import adapter from './adapters/tautulli.ts'
import { conforms } from './conforms.ts'

await conforms('tautulli', adapter)
