// slow: every check of the kit
import adapter from './adapters/nuvio.ts'
import { conforms } from './conforms.ts'

await conforms('nuvio', adapter)
