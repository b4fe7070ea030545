@_exported public import AnnexBrokerAPI
// What a host's author needs of the model and of the broker's answers comes with the one import.
@_exported public import AnnexModel
