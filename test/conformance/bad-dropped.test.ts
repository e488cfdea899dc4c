// Providers that tell wrongly which shows were dropped, held against the conformance kit.
import { failing } from './bad/fails.ts'
import { badDroppers } from './bad/dropped.ts'

failing(badDroppers)
