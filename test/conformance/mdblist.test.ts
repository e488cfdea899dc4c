// slow: every check of the kit
import adapter from './adapters/mdblist.ts'
import { conforms } from './conforms.ts'

await conforms('mdblist', adapter)
