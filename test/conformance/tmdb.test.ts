// slow: every check of the kit
import adapter from './adapters/tmdb.ts'
import { conforms } from './conforms.ts'

await conforms('tmdb', adapter)
