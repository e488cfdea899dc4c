// What the pages of this area get of the service.
import type { Answer } from '../../api/client.ts'

export type Action = Answer<'GET /api/maintenance/actions'>['actions'][number]
