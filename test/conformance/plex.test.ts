// slow: every check of the kit
import adapter from './adapters/plex.ts'
import { conforms } from './conforms.ts'

await conforms('plex', adapter)
