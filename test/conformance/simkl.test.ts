// slow: every check of the kit
import adapter from './adapters/simkl.ts'
import { conforms } from './conforms.ts'

await conforms('simkl', adapter)
