// slow: every check of the kit
// Emby, checked by the conformance kit.
import adapter from './adapters/emby.ts'
import { conforms } from './conforms.ts'

await conforms('emby', adapter)
