// slow: every check of the kit
import adapter from './adapters/emby.ts'
import { conforms } from './conforms.ts'

await conforms('emby', adapter)
