// After a restore: the service starts again, then everyone signs in.
import { Alert } from '@mantine/core'
import { useEffect } from 'react'
import { reloadWhenBack } from '../../api/restart.ts'
import { backups } from '../../texts/en/backups.ts'

export function Restarting() {
  useEffect(reloadWhenBack, [])
  return <Alert role="status">{backups.restore.restarting}</Alert>
}
