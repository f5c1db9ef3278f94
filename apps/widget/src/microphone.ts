import type { ErrorCode } from './call-state.ts';
import { WidgetError } from './server-api.ts';

/** A session's token lives for a minute; whoever has not answered by then goes on typing. */
const patienceMs = 45_000;

/** Asks for the microphone. Rejects with a `WidgetError` that says why there is none. */
export async function askForMicrophone(): Promise<MediaStream> {
  if (!isSecureContext) throw new WidgetError('insecure_context', 'The page is not served over https');
  if (isBlockedBySite()) {
    throw new WidgetError(
      'microphone_blocked_by_site',
      'The Permissions-Policy of the page, or the `allow` attribute of its frame, keeps the microphone off',
    );
  }
  const session = (navigator as { audioSession?: { type: string } }).audioSession;
  if (session) session.type = 'play-and-record';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const asked = navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('No answer', 'NotAllowedError')), patienceMs);
  });
  try {
    return await Promise.race([asked, late]);
  } catch (error) {
    // A yes that comes too late must not leave the microphone open.
    asked.then(
      (stream) => {
        for (const track of stream.getTracks()) track.stop();
      },
      () => undefined,
    );
    throw new WidgetError(codeOf(error), String(error));
  } finally {
    clearTimeout(timer);
  }
}

function codeOf(error: unknown): ErrorCode {
  const name = error instanceof DOMException ? error.name : '';
  return name === 'NotAllowedError' || name === 'SecurityError' ? 'microphone_denied' : 'microphone_missing';
}

/** Only some browsers tell; in the others the visitor reads that the microphone was refused. */
function isBlockedBySite(): boolean {
  const { permissionsPolicy, featurePolicy = permissionsPolicy } = document as {
    permissionsPolicy?: { allowsFeature(name: string): boolean };
    featurePolicy?: { allowsFeature(name: string): boolean };
  };
  return featurePolicy?.allowsFeature('microphone') === false;
}
