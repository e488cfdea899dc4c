// Signs in to any service by the methods in its manifest.
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconPlugConnectedX } from '@tabler/icons-react'
import { useState } from 'react'
import { useRead } from '../../api/query.ts'
import { signIn } from '../../texts/en/sign-in.ts'
import { say } from '../../texts/say.ts'
import { EmptyState } from '../page/empty-state.tsx'
import { Loading } from '../page/loading.tsx'
import { QueryView } from '../page/query-view.tsx'
import { useManifests, type Manifest } from './manifests.ts'
import { SignInWay } from './way.tsx'
import { useOpener } from '../page/open-window.ts'
import { openAhead } from './window.ts'

export interface SignInProps {
  /** Provider id. */
  readonly provider: string
  /** Profile id; the default profile if omitted. */
  readonly instance?: string
  readonly onDone: () => void
  /** In a dialog: closes it. */
  readonly onCancel?: (() => void) | undefined
}

export function SignIn({ provider, instance = 'default', onDone, onCancel }: SignInProps) {
  const query = useManifests()
  return (
    <QueryView query={query} rows={3}>
      {(manifests) => {
        const manifest = manifests.find(({ name }) => name === provider)
        if (manifest === undefined) return <EmptyState icon={IconPlugConnectedX} {...signIn.gone} />
        if (!manifest.available)
          return (
            <EmptyState
              icon={IconPlugConnectedX}
              title={manifest.label}
              text={say(signIn.unavailable, { reason: manifest.error ?? '' })}
            />
          )
        return <Ways key={`${provider} ${instance}`} {...{ manifest, instance, onDone, onCancel }} />
      }}
    </QueryView>
  )
}

function Ways({
  manifest,
  instance,
  onDone,
  onCancel,
}: {
  readonly manifest: Manifest
  readonly instance: string
  readonly onDone: () => void
  readonly onCancel: (() => void) | undefined
}) {
  useOpener()
  const { label, section, sign_in: all } = manifest
  const ways = all.filter(({ kind }) => kind !== 'none')
  const [method, setMethod] = useState(ways[0]?.method ?? '')
  const way = ways.find((one) => one.method === method) ?? ways[0]
  const settings = useRead(
    ['connections', 'section', section, instance],
    'GET /api/config/sections/{path}',
    { params: { path: section ?? '' }, query: { instance } },
    { enabled: section !== null && ways.some(({ form }) => form !== null) },
  )

  if (way === undefined)
    return (
      <EmptyState icon={IconCircleCheck} title={signIn.notNeeded.title} text={say(signIn.notNeeded.text, { label })} />
    )
  // If the stored settings cannot be read, the form starts empty.
  if (settings.isLoading) return <Loading rows={3} />
  return (
    <Stack gap="md">
      {ways.length < 2 ? null : (
        <div>
          <Text size="sm" fw={500} mb="2xs">
            {signIn.methods}
          </Text>
          <SegmentedControl
            fullWidth
            aria-label={signIn.methods}
            data={ways.map((one) => ({ value: one.method, label: one.title }))}
            value={way.method}
            onChange={(next) => {
              openAhead(ways.find((one) => one.method === next))
              setMethod(next)
            }}
          />
        </div>
      )}
      <SignInWay
        key={way.method}
        way={way}
        label={label}
        instance={instance}
        known={settings.data?.values ?? {}}
        onDone={onDone}
        onCancel={onCancel}
      />
    </Stack>
  )
}
