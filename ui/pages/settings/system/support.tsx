// Support bundle, metrics token and restart.
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconDownload, IconPower } from '@tabler/icons-react'
import { useEffect } from 'react'
import { api } from '../../../api/client.ts'
import { download } from '../../../api/download.ts'
import type { ApiError } from '../../../api/error.ts'
import { reloadWhenBack } from '../../../api/restart.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { Failure } from '../../../parts/page/failure.tsx'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { settings } from '../../../texts/en/settings.ts'
import { Card } from '../card.tsx'
import { MetricsToken } from './metrics-token.tsx'

const { support } = settings

export default function Support() {
  return (
    <Stack>
      <SupportBundle />
      <MetricsToken />
      <Restart />
    </Stack>
  )
}

function SupportBundle() {
  const pack = useMutation<void, ApiError>({
    mutationFn: () => download('/api/maintenance/support-bundle', { body: {}, fileName: 'playhead-support.zip' }),
    onSuccess: () => notifyDone(support.bundleDone),
  })
  return (
    <Card title={support.bundle} text={support.bundleText}>
      {pack.error === null ? null : <Failure error={pack.error} />}
      <Group>
        <Button
          variant="default"
          loading={pack.isPending}
          onClick={() => pack.mutate()}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {support.bundleAction}
        </Button>
      </Group>
    </Card>
  )
}

function Restart() {
  const restart = useMutation<unknown, ApiError, { readonly force: boolean }>({
    mutationFn: (body) => api('POST /api/app-auth/apply-now', { body }),
  })
  const isGone = restart.isSuccess
  useEffect(() => (isGone ? reloadWhenBack() : undefined), [isGone])

  async function ask() {
    const isWanted = await confirm({
      title: support.restartTitle,
      text: support.restartText,
      touches: support.restartTouches,
      action: support.restartConfirm,
    })
    if (isWanted) restart.mutate({ force: false })
  }

  const isBusy = restart.error?.code === 'operation_running'
  return (
    <Card title={support.restart} text={support.restartText}>
      {isGone ? <Alert role="status">{support.restarting}</Alert> : null}
      {restart.error === null ? null : isBusy ? (
        <Alert color="yellow">
          <Text>{support.restartBusy}</Text>
          <Button mt="sm" size="xs" color="red.9" onClick={() => restart.mutate({ force: true })}>
            {support.restartForce}
          </Button>
        </Alert>
      ) : (
        <Failure error={restart.error} />
      )}
      <Group>
        <Button
          variant="outline"
          color="red"
          loading={restart.isPending || isGone}
          onClick={() => void ask()}
          leftSection={<IconPower size={16} aria-hidden />}
        >
          {support.restartAction}
        </Button>
      </Group>
    </Card>
  )
}
