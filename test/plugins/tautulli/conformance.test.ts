// Tautulli, checked by the conformance kit.
import { conforms } from '../../conformance/conforms.ts'
import adapter from './conformance-adapter.ts'

await conforms('tautulli', adapter)
