// slow: every check of the kit
// Plex, checked by the conformance kit.
import adapter from './adapters/plex.ts'
import { conforms } from './conforms.ts'

await conforms('plex', adapter)
