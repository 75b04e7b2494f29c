import { withBasePath } from '@hull/shell/client'
import type { Suggestions } from '../../../queries/issues/suggestions.ts'
import { SearchInput, type SearchInputProps } from './search-input.tsx'
import { NO_SUGGESTIONS, useSuggestions } from './suggestions.tsx'

interface SuggestingInputProps extends SearchInputProps {
  /** Parameters of `/inbox/suggestions` that name the search. */
  scope: Readonly<Record<string, string | number | undefined>>
}

/** Milliseconds without another key before suggestions are requested. */
const PAUSE = 80

/** Search field that completes filters and values while the user types. */
export function SuggestingInput({ scope, ...props }: SuggestingInputProps) {
  const { field, list } = useSuggestions<HTMLInputElement>({
    async find(text, signal, isAsked) {
      const found = await load(scope, text, signal)
      return isAsked || found.from < text.length ? found : NO_SUGGESTIONS
    }
  })
  return (
    <div className="suggesting">
      <SearchInput {...props} field={field} />
      {list}
    </div>
  )
}

/** Without an answer there are no suggestions: the search works without them. */
async function load(scope: SuggestingInputProps['scope'], text: string, signal: AbortSignal): Promise<Suggestions> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
  if (signal.aborted) return NO_SUGGESTIONS
  const fields = new URLSearchParams({ text })
  for (const [name, value] of Object.entries(scope)) if (value !== undefined) fields.set(name, String(value))
  try {
    const response = await fetch(withBasePath(`/inbox/suggestions?${fields}`), { signal })
    return response.ok ? ((await response.json()) as Suggestions) : NO_SUGGESTIONS
  } catch {
    return NO_SUGGESTIONS
  }
}
