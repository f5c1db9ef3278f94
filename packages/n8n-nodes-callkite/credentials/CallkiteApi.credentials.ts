import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from 'n8n-workflow';

export class CallkiteApi implements ICredentialType {
  name = 'callkiteApi';

  displayName = 'Callkite API';

  icon: Icon = { light: 'file:../icons/callkite.svg', dark: 'file:../icons/callkite.dark.svg' };

  documentationUrl = 'https://github.com/callkite/callkite/tree/main/packages/n8n-nodes-callkite#credentials';

  properties: INodeProperties[] = [
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description:
        'Begins with ck_live_ (dials real phones) or ck_test_ (calls people who do not exist). Shown once, when the key is created.',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://calls.example.com',
      description: 'Address of the Callkite server, as n8n reaches it',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/workflows' },
  };
}
