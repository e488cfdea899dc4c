// Providers that report dropped shows incorrectly, checked by the conformance kit.
import { failing } from './bad/fails.ts'
import { badDroppers } from './bad/dropped.ts'

failing(badDroppers)
