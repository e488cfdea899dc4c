// The actions of a plugin: reload, turn on, turn off.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { confirm } from '../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import type { PluginSummary } from '../../parts/plugins/use-plugins.ts'
import { plugins } from '../../texts/en/plugins.ts'
import { say } from '../../texts/say.ts'

export type PluginAction = 'reload' | 'enable' | 'disable'

const CALLS = {
  reload: 'POST /api/plugins/{id}/reload',
  enable: 'POST /api/plugins/{id}/enable',
  disable: 'POST /api/plugins/{id}/disable',
} as const
const DONE_TEXTS = { reload: plugins.reloaded, enable: plugins.enabled, disable: plugins.disabled } as const

export function usePluginActions(
  { id, name, enabled }: Pick<PluginSummary, 'id' | 'name' | 'enabled'>,
  touches: readonly string[] = [],
) {
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (action: PluginAction) => api(CALLS[action], { params: { id }, body: {} }),
    onSuccess: async ({ ok, plugin }, action) => {
      if (ok) notifyDone(say(DONE_TEXTS[action], { name }))
      else
        notifyFailure(
          new Error(say(plugins.notReached, { name, message: plugin.last_error?.message ?? plugins.didNotStart })),
        )
      await client.invalidateQueries({ queryKey: ['plugins'] })
    },
    onError: (error) => notifyFailure(error),
  })

  async function run(action: PluginAction): Promise<void> {
    const { title, text } = plugins.disableAsk
    if (
      action === 'disable' &&
      !(await confirm({ title: say(title, { name }), text, touches: [name, ...touches], action: plugins.disable }))
    )
      return
    change.mutate(action)
  }
  return {
    run,
    running: change.isPending ? change.variables : null,
    possible: enabled ? (['reload', 'disable'] as const) : (['enable'] as const),
  }
}
