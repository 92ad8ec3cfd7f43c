"""Messages of wavepose.v1, made from the descriptors in grpc.binpb. Their types are in grpc_messages.pyi.

The messages have a pool of their own, so that code that another tool generated from the same .proto files can be imported as well.
"""

from importlib.resources import files

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

_set = descriptor_pb2.FileDescriptorSet.FromString(files(__package__).joinpath("grpc.binpb").read_bytes())
_pool = descriptor_pool.DescriptorPool()
for _file in _set.file:
    _pool.Add(_file)

# Services by name, each with its methods by name, as descriptors.
SERVICES = {}

for _file in _set.file:
    if _file.package != "wavepose.v1":
        continue
    _descriptor = _pool.FindFileByName(_file.name)
    for _name, _type in _descriptor.message_types_by_name.items():
        globals()[_name] = message_factory.GetMessageClass(_type)
    for _name, _type in _descriptor.enum_types_by_name.items():
        globals()[_name] = EnumTypeWrapper(_type)
        globals().update({each.name: each.number for each in _type.values})
    for _name, _service in _descriptor.services_by_name.items():
        SERVICES[_name] = {method.name: method for method in _service.methods}


class Services:
    """The services; a client has one attribute for each."""


class AsyncServices:
    """As Services, asynchronous."""
