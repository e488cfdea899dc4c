// slow: every check of the kit
// TMDB, checked by the conformance kit.
import adapter from './adapters/tmdb.ts'
import { conforms } from './conforms.ts'

await conforms('tmdb', adapter)
