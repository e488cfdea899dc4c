// One recipe: its accounts with the sign-ins that are missing, then its plan and one button that applies it.
import { Button, Group, Modal, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { lazyPart } from '../../parts/page/lazy-part.ts'
import { Loading } from '../../parts/page/loading.tsx'
import { keyOf, type Candidate, type Recipe } from '../../parts/recipes/recipes.ts'
import { useOpenAhead } from '../../parts/sign-in/window.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { recipes as texts } from '../../texts/en/recipes.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { RecipePlan } from './recipe-plan.tsx'

const SignIn = lazyPart(
  () => import('../../parts/sign-in/index.tsx'),
  (module) => module.SignIn,
)

interface OneRecipeProps {
  readonly recipe: Recipe
  /** By slot. */
  readonly chosen: Readonly<Record<string, Candidate>>
  readonly onChoose: (slot: string, key: string) => void
  readonly onReview: (pairId: string, planRun: string) => void
}

export function OneRecipe({ recipe, chosen, onChoose, onReview }: OneRecipeProps) {
  const client = useQueryClient()
  const openAhead = useOpenAhead()
  const [target, setTarget] = useState<Candidate | null>(null)
  const accounts = recipe.slots.flatMap(({ id }) => chosen[id] ?? [])
  const isSame = new Set(accounts.map(keyOf)).size < accounts.length
  const missing = accounts.filter(({ connected }) => !connected)

  function signIn(account: Candidate) {
    openAhead(account.provider)
    setTarget(account)
  }
  async function onDone({ label }: Candidate) {
    setTarget(null)
    notifyDone(say(texts.accounts.done, { name: label }))
    await client.invalidateQueries()
  }

  return (
    <Stack>
      <Paper withBorder p="md" component="section" aria-label={texts.accounts.title}>
        <Title order={2} size="h4" mb="md">
          {texts.accounts.title}
        </Title>
        <Stack>
          {recipe.slots.map(({ id, label, accounts: all }) => (
            <Slot
              key={id}
              label={serviceText(label)}
              accounts={all}
              account={chosen[id]}
              error={isSame ? texts.accounts.same : null}
              onChoose={(key) => onChoose(id, key)}
              onSignIn={signIn}
            />
          ))}
        </Stack>
      </Paper>
      <Paper withBorder p="md" component="section" aria-label={texts.plan.title}>
        <Title order={2} size="h4" mb="md">
          {texts.plan.title}
        </Title>
        {accounts.length < recipe.slots.length ? (
          <Text c="dimmed">{texts.accounts.none}</Text>
        ) : isSame ? (
          <Text c="dimmed">{texts.accounts.same}</Text>
        ) : missing.length > 0 ? (
          <Text c="dimmed" role="status">
            {say(texts.accounts.missing, { names: missing.map(({ label }) => label).join(', ') })}
          </Text>
        ) : (
          <RecipePlan recipe={recipe} chosen={chosen} onReview={onReview} />
        )}
      </Paper>
      <Modal
        opened={target !== null}
        onClose={() => setTarget(null)}
        title={target === null ? '' : say(texts.accounts.signInTo, { name: target.label })}
        size="lg"
      >
        {target === null ? null : (
          <Suspense fallback={<Loading rows={3} />}>
            <SignIn
              provider={target.provider}
              instance={target.instance}
              onDone={() => void onDone(target)}
              onCancel={() => setTarget(null)}
            />
          </Suspense>
        )}
      </Modal>
    </Stack>
  )
}

function Slot({
  label,
  accounts,
  account,
  error,
  onChoose,
  onSignIn,
}: {
  readonly label: string
  readonly accounts: readonly Candidate[]
  readonly account: Candidate | undefined
  readonly error: string | null
  readonly onChoose: (key: string) => void
  readonly onSignIn: (account: Candidate) => void
}) {
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={label}
        data={accounts.map((one) => ({ value: keyOf(one), label: one.label }))}
        value={account === undefined ? null : keyOf(account)}
        onChange={(key) => (key === null ? undefined : onChoose(key))}
        allowDeselect={false}
        error={error}
        style={{ flex: '1 1 14rem', maxWidth: 420 }}
      />
      {account === undefined ? null : account.connected ? (
        <Group h={36}>
          <StatusBadge tone="good" label={texts.accounts.connected} />
        </Group>
      ) : (
        <Button onClick={() => onSignIn(account)} aria-label={say(texts.accounts.signInTo, { name: account.label })}>
          {texts.accounts.signIn}
        </Button>
      )}
    </Group>
  )
}
