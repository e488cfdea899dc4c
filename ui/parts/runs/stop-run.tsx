// Stops the current run, after a confirmation.
import { Button } from '@mantine/core'
import { IconPlayerStop } from '@tabler/icons-react'
import { useChange } from '../../api/query.ts'
import { runs } from '../../texts/en/runs.ts'
import { confirm } from '../dialogs/confirm.ts'
import { notifyFailure } from '../dialogs/notify.ts'

const { live } = runs

export function StopRun({ isAsked }: { readonly isAsked: boolean }) {
  const cancel = useChange('POST /api/run/cancel')
  async function ask() {
    if (!(await confirm({ title: live.cancelTitle, text: live.cancelText, action: live.cancelAction }))) return
    cancel.mutate({ body: {} }, { onError: (error) => notifyFailure(error) })
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconPlayerStop size={14} aria-hidden />}
      disabled={isAsked}
      loading={cancel.isPending}
      onClick={() => void ask()}
    >
      {isAsked ? live.cancelling : live.cancel}
    </Button>
  )
}
