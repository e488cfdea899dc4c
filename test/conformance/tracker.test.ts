// slow: every check of the kit
// The tracker, checked by the conformance kit.
import adapter from './adapters/tracker.ts'
import { conforms } from './conforms.ts'

await conforms('tracker', adapter)
