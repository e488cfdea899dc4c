// What the pages of this area get of the service.
import type { Answer } from '../../api/client.ts'

export type Backup = Answer<'GET /api/backups/list'>['backups'][number]
