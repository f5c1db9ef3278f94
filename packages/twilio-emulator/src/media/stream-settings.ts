import { addressFault } from '../addresses.ts';
import type { WebhookTarget } from '../calls/call.ts';
import type { TwimlElement } from '../twiml/document.ts';
import { TwimlError, targetOf, type VerbContext } from '../twiml/verb.ts';

const MAXIMUM_PARAMETER_LENGTH = 500;
const attributeNames = new Set(['url', 'name', 'statusCallback', 'statusCallbackMethod']);

/** What the attributes and children of `<Stream>` ask for. */
export interface StreamSettings {
  url: string;
  name: string | undefined;
  statusCallback: WebhookTarget | undefined;
  customParameters: Record<string, string>;
}

/** Reads `<Connect><Stream>`. @throws TwimlError for attributes and children that it may not have */
export function streamSettings(noun: TwimlElement, context: VerbContext): StreamSettings {
  const { url, name } = noun.attributes;
  for (const attribute of Object.keys(noun.attributes)) {
    if (attribute === 'track') {
      throw new TwimlError(12100, '<Connect><Stream> takes no track: it always carries inbound_track');
    }
    if (!attributeNames.has(attribute)) {
      throw new TwimlError(12100, `<Stream> has no attribute ${attribute} that is emulated`);
    }
  }
  if (!url) throw new TwimlError(12100, '<Stream> needs the attribute url');
  return {
    url,
    name,
    statusCallback: targetOf(noun, context, 'statusCallback', 'statusCallbackMethod'),
    customParameters: customParameters(noun),
  };
}

/** Why Twilio does not even try to connect to the address of a stream; undefined when it does. */
export function streamAddressFault(
  url: string,
  allowInsecureLoopback: boolean,
): { code: number; message: string } | undefined {
  const fault = addressFault(url, { secureProtocol: 'wss:', allowInsecureLoopback });
  if (fault !== undefined) return { code: 31922, message: `Invalid stream URL: ${fault}` };
  if (!url.includes('?')) return undefined;
  return { code: 31920, message: 'Invalid stream URL: it has a query string; use <Parameter> instead' };
}

function customParameters(noun: TwimlElement): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const child of noun.children) {
    if (child.name !== 'Parameter') throw new TwimlError(12100, `<Stream><${child.name}> does not exist`);
    const { name, value = '' } = child.attributes;
    if (!name) throw new TwimlError(12100, '<Parameter> needs the attribute name');
    if (name.length + value.length >= MAXIMUM_PARAMETER_LENGTH) {
      throw new TwimlError(
        12100,
        `<Parameter name="${name}">: name and value must be under ${MAXIMUM_PARAMETER_LENGTH} characters together`,
      );
    }
    parameters[name] = value;
  }
  return parameters;
}
