// slow: every check of the kit
import adapter from './adapters/tautulli.ts'
import { conforms } from './conforms.ts'

await conforms('tautulli', adapter)
