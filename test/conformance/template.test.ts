// slow: every check of the kit
// The template for new providers, checked by the conformance kit with the adapter in its folder.
import { conforms } from './conforms.ts'

await conforms('sdk/templates/provider')
