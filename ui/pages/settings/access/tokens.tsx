// API tokens, created and shown once, and the tokens of webhooks and metrics.
import { Alert, Badge, Button, Code, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconApi } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { serviceAddress } from '../../../api/base.ts'
import type { Answer } from '../../../api/client.ts'
import { useChange, useRead } from '../../../api/query.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { EmptyState } from '../../../parts/page/empty-state.tsx'
import { Failure } from '../../../parts/page/failure.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { Copy } from '../../../parts/values/copy.tsx'
import { StatusBadge } from '../../../parts/values/status-badge.tsx'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'

type Token = Answer<'GET /api/tokens'>['tokens'][number]
type Other = Answer<'GET /api/tokens'>['others'][number]
type Scope = Token['scope']

const { tokens } = settings
const KEY = ['settings', 'tokens']
const SCOPES = Object.keys(tokens.scopes) as Scope[]
const NEVER = '0'

export default function Tokens() {
  const query = useRead(KEY, 'GET /api/tokens')
  const [shown, setShown] = useState<{ readonly title: string; readonly secret: string } | null>(null)

  return (
    <Stack gap="lg">
      {shown === null ? null : (
        <Alert
          color="green"
          role="status"
          title={shown.title}
          withCloseButton
          closeButtonLabel={tokens.hide}
          onClose={() => setShown(null)}
        >
          <Group gap="xs">
            <Code className="long-code">{shown.secret}</Code>
            <Copy text={shown.secret} label={tokens.copy} />
          </Group>
          <Text size="sm" mt="xs">
            {tokens.once}
          </Text>
        </Alert>
      )}
      <NewToken onMade={(name, secret) => setShown({ title: say(tokens.made, { name }), secret })} />
      <QueryView query={query} rows={3}>
        {({ tokens: own, others }) => (
          <>
            <Stack component="section" aria-label={tokens.own} gap="sm">
              <Title order={2} size="h4">
                {tokens.own}
              </Title>
              {own.length === 0 ? (
                <EmptyState icon={IconApi} title={tokens.none} text={tokens.noneText} />
              ) : (
                <Stack component="ul" className="plain-list" gap="xs">
                  {own.map((token) => (
                    <li key={token.id}>
                      <OwnToken token={token} />
                    </li>
                  ))}
                </Stack>
              )}
            </Stack>
            {others.length === 0 ? null : (
              <Stack component="section" aria-label={tokens.others} gap="sm">
                <Title order={2} size="h4">
                  {tokens.others}
                </Title>
                <Stack component="ul" className="plain-list" gap="xs">
                  {others.map((other) => (
                    <li key={other.id}>
                      <OtherToken
                        other={other}
                        onRotated={(secret) => setShown({ title: say(tokens.rotated, { name: other.label }), secret })}
                      />
                    </li>
                  ))}
                </Stack>
              </Stack>
            )}
          </>
        )}
      </QueryView>
    </Stack>
  )
}

function NewToken({ onMade }: { readonly onMade: (name: string, secret: string) => void }) {
  const form = useForm({
    initialValues: { name: '', scope: 'read' as Scope, days: '90' },
    validate: { name: (name) => (name.trim() === '' ? tokens.nameMissing : null) },
  })
  const make = useChange('POST /api/tokens', {
    refresh: [KEY],
    onDone: ({ token, secret }) => {
      form.reset()
      onMade(token.name, secret)
    },
  })
  return (
    <Card title={tokens.new} text={tokens.newText}>
      <form
        onSubmit={form.onSubmit(({ name, scope, days }) =>
          make.mutate({ body: { name, scope, expires_in_days: days === NEVER ? null : Number(days) } }),
        )}
      >
        <Stack gap="sm">
          {make.error === null ? null : <Failure error={make.error} />}
          <TextInput
            id="new-token"
            label={tokens.name}
            placeholder={tokens.namePlaceholder}
            maxLength={64}
            {...form.getInputProps('name')}
          />
          <Select
            label={tokens.scope}
            description={tokens.scopes[form.values.scope].text}
            data={SCOPES.map((value) => ({ value, label: tokens.scopes[value].title }))}
            allowDeselect={false}
            {...form.getInputProps('scope')}
          />
          <Select
            label={tokens.expires}
            data={Object.entries(tokens.lifetimes).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('days')}
          />
          <Group>
            <Button type="submit" loading={make.isPending}>
              {tokens.make}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function OwnToken({ token }: { readonly token: Token }) {
  const revoke = useChange('DELETE /api/tokens/{id}', { refresh: [KEY] })
  async function ask() {
    const touches = [`${token.name}, ${tokens.scopes[token.scope].title}`]
    if (!(await confirm({ title: tokens.revokeTitle, text: tokens.revokeText, touches, action: tokens.revoke }))) return
    await revoke.mutateAsync({ params: { id: token.id } }).then(() => notifyDone(tokens.revoked), notifyFailure)
  }
  return (
    <Row
      title={token.name}
      badges={
        <>
          <Badge variant="light" tt="none">
            {tokens.scopes[token.scope].title}
          </Badge>
          {token.expired ? <StatusBadge tone="bad" label={tokens.expired} /> : null}
        </>
      }
      text={
        <>
          <LastUsed at={token.last_used_at} />
          {token.last_used_from === null ? null : ` ${say(tokens.from, { address: token.last_used_from })}`} ·{' '}
          {token.expires_at === null ? tokens.noExpiry : <Expiry token={token} at={token.expires_at} />} ·{' '}
          {say(tokens.by, { name: token.created_by })}
        </>
      }
      action={
        <Button
          variant="default"
          size="xs"
          loading={revoke.isPending}
          onClick={() => void ask()}
          aria-label={say(tokens.revokeNamed, { name: token.name })}
        >
          {tokens.revoke}
        </Button>
      }
    />
  )
}

function OtherToken({ other, onRotated }: { readonly other: Other; readonly onRotated: (secret: string) => void }) {
  const rotate = useChange('POST /api/tokens/others/{id}/rotate', { refresh: [KEY] })
  async function ask() {
    const { label } = other
    if (
      !(await confirm({ title: tokens.rotateTitle, text: tokens.rotateText, touches: [label], action: tokens.rotate }))
    )
      return
    await rotate.mutateAsync({ params: { id: other.id } }).then(
      // The secret of a webhook is the path of its address.
      ({ secret }) => onRotated(secret.startsWith('/') ? `${serviceAddress()}${secret}` : secret),
      notifyFailure,
    )
  }
  return (
    <Row
      title={other.label}
      badges={<StatusBadge tone={other.active ? 'good' : 'idle'} label={other.active ? tokens.on : tokens.off} />}
      text={
        <>
          {other.purpose} <LastUsed at={other.last_used_at} />
        </>
      }
      action={
        other.can_rotate ? (
          <Button
            variant="default"
            size="xs"
            loading={rotate.isPending}
            onClick={() => void ask()}
            aria-label={say(tokens.rotateNamed, { name: other.label })}
          >
            {tokens.rotate}
          </Button>
        ) : null
      }
    />
  )
}

interface RowProps {
  readonly title: string
  readonly badges: ReactNode
  readonly text: ReactNode
  readonly action: ReactNode
}

function Row({ title, badges, text, action }: RowProps) {
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" gap="sm">
        <div className="grow">
          <Group gap="xs">
            <Text fw={600} size="sm">
              {title}
            </Text>
            {badges}
          </Group>
          <Text size="xs" c="dimmed" component="div">
            {text}
          </Text>
        </div>
        {action}
      </Group>
    </Paper>
  )
}

function LastUsed({ at }: { readonly at: number | null }) {
  if (at === null) return <>{tokens.neverUsed}</>
  return (
    <>
      {tokens.lastUsed} <TimeText at={at * 1_000} />
    </>
  )
}

function Expiry({ token, at }: { readonly token: Token; readonly at: number }) {
  return (
    <>
      {token.expired ? tokens.expiredAt : tokens.expiresAt} <TimeText isAhead={!token.expired} at={at * 1_000} />
    </>
  )
}
