// slow: every check of the kit
import adapter from './adapters/trakt.ts'
import { conforms } from './conforms.ts'

await conforms('trakt', adapter)
