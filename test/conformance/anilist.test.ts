// slow: every check of the kit
import adapter from './adapters/anilist.ts'
import { conforms } from './conforms.ts'

await conforms('anilist', adapter)
