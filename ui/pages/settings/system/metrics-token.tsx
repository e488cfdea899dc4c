// The token for metrics scrapers. It is created here and shown once; it cannot be read later.
import { Alert, Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { at, serviceAddress } from '../../../api/base.ts'
import { useChange, useRead } from '../../../api/query.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { Copy } from '../../../parts/values/copy.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { notifyDone } from '../../../parts/dialogs/notify.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'

const { support } = settings
const SECTION = 'plugins.metrics'
const TOKEN_BYTES = 32

export function MetricsToken() {
  const key = ['settings', 'section', SECTION]
  const section = useRead(key, 'GET /api/config/sections/{path}', { params: { path: SECTION } })
  const [shown, setShown] = useState<string | null>(null)
  const save = useChange('PUT /api/config/sections/{path}', { refresh: [key] })
  const isSet = (section.data?.values['token'] ?? '') !== ''

  async function make() {
    if (
      isSet &&
      !(await confirm({
        title: support.metricsRenewTitle,
        text: support.metricsRenewText,
        action: support.metricsRenew,
      }))
    )
      return
    const token = newToken()
    save.mutate({ params: { path: SECTION }, body: { values: { token } } }, { onSuccess: () => setShown(token) })
  }

  async function remove() {
    if (
      !(await confirm({
        title: support.metricsRemoveTitle,
        text: support.metricsRemoveText,
        action: support.metricsRemove,
      }))
    )
      return
    setShown(null)
    save.mutate(
      { params: { path: SECTION }, body: { values: { token: '' } } },
      { onSuccess: () => notifyDone(support.metricsRemoved) },
    )
  }

  return (
    <Card
      title={support.metrics}
      text={say(support.metricsText, { address: `${serviceAddress()}/metrics` })}
      aside={
        section.data === undefined ? null : (
          <StatusBadge tone={isSet ? 'good' : 'idle'} label={isSet ? support.metricsOn : support.metricsOff} />
        )
      }
    >
      <QueryView query={section} rows={1}>
        {() => (
          <Stack gap="sm">
            {shown === null ? null : (
              <Alert color="green" role="status" title={support.metricsOnce}>
                <Group gap="xs">
                  <Code className="long-code">{shown}</Code>
                  <Copy text={shown} label={support.copyToken} />
                </Group>
              </Alert>
            )}
            {save.error === null ? null : <Failure error={save.error} />}
            <Group gap="sm">
              <Button variant="default" loading={save.isPending} onClick={() => void make()}>
                {isSet ? support.metricsRenew : support.metricsNew}
              </Button>
              {isSet ? (
                <Button variant="outline" color="red" onClick={() => void remove()}>
                  {support.metricsRemove}
                </Button>
              ) : null}
              <Text size="sm">
                <Anchor href={at('/metrics')} target="_blank" inherit underline="always">
                  {support.metricsOpen}
                </Anchor>
              </Text>
            </Group>
          </Stack>
        )}
      </QueryView>
    </Card>
  )
}

function newToken(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
