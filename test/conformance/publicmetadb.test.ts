// slow: every check of the kit
import adapter from './adapters/publicmetadb.ts'
import { conforms } from './conforms.ts'

await conforms('publicmetadb', adapter)
