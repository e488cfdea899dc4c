// Shown while the service restarts; reloads the page when it is back.
import { Alert, Group, Loader } from '@mantine/core'
import { useEffect } from 'react'
import { reloadWhenBack } from '../../api/restart.ts'

export function Restarting({ text }: { readonly text: string }) {
  useEffect(reloadWhenBack, [])
  return (
    <Alert role="status" color="blue">
      <Group gap="sm">
        <Loader size="sm" />
        {text}
      </Group>
    </Alert>
  )
}
