import type { Consent, WidgetSessionRequest } from '@callkite/contract';
import type { GivenConsent } from './options.ts';
import type { Settings } from './settings.ts';
import type { Strings } from './strings/strings.ts';

/** Who visits, and what for, as the page has set it. */
export function visitOf(settings: Settings, variables: Record<string, string>) {
  const { workflow, userId, userHash } = settings;
  return {
    workflow_id: workflow,
    variables,
    // What follows the path may be private to the page.
    page: location.origin + location.pathname,
    ...(userId && { user: { id: userId, ...(userHash && { hash: userHash }) } }),
  };
}

/** What is asked of the server to begin a call. @param agreedAt when the box was ticked */
export async function sessionRequestOf(
  settings: Settings,
  given: {
    readonly variables: Record<string, string>;
    readonly agreedAt: string | null;
    loadStrings(): Promise<Strings>;
  },
): Promise<Omit<WidgetSessionRequest, 'media'>> {
  const visit = visitOf(settings, given.variables);
  if (settings.consent === 'off') return visit;
  const { consent, consentNotice } = await given.loadStrings();
  const isNotice = settings.consent === 'notice';
  const agreed = isNotice ? { text: consentNotice } : { text: consent, time: given.agreedAt ?? undefined };
  return { ...visit, consent: consentOf(settings, agreed) };
}

/** What was agreed to, with what the page did not say of it. */
export function consentOf(settings: Settings, { text, version, time }: GivenConsent): Consent {
  return { text, version: version ?? settings.consentVersion, time: time ?? new Date().toISOString() };
}
