import { Button } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useChange } from '../../api/query.ts'
import { runs } from '../../texts/en/runs.ts'
import { notifyDone, notifyFailure } from '../dialogs/notify.ts'

export function RunAll({ isRunning }: { readonly isRunning: boolean }) {
  const start = useChange('POST /api/run', { refresh: [['runs']] })
  return (
    <Button
      leftSection={<IconPlayerPlay size={16} aria-hidden />}
      disabled={isRunning}
      loading={start.isPending}
      onClick={() =>
        start.mutate(
          { body: { source: 'ui' } },
          {
            onSuccess: ({ status }) => notifyDone(status === 'accepted' ? runs.started : runs.nothingToRun),
            onError: (error) => notifyFailure(error),
          },
        )
      }
    >
      {runs.runAll}
    </Button>
  )
}
