// slow: every check of the kit
// Trakt, checked by the conformance kit.
import adapter from './adapters/trakt.ts'
import { conforms } from './conforms.ts'

await conforms('trakt', adapter)
